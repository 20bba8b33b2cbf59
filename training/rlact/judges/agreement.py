"""How often a language model, as the judge, prefers the same of two replies as the simulator."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.training.rlact.judges.judges import JudgeFailure
from aucenv.training.rlact.judges.model_judge import ModelJudge, model_client
from aucenv.training.rlact.states.messages import BID, plain_reply
from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.files import JsonObject
from aucenv.core.state import WITHDRAW
from aucenv.core.words.bidder_name import public_name


def judge_agreement(name: str, states: Sequence[DecisionState], pairs: int) -> JsonObject:
    """Let a model compare the least bid with withdrawing in judged states whose decision is not a tie.

    Args:
        name: the model, `llm:...`, as a judge; see `model_judge.model_client`.
        states: judged states.
        pairs: the maximum number of comparisons.

    Returns:
        "judge", the model; "pairs", the number of comparisons; of these, the shares in which it prefers the "same"
        reply as the simulator, the "other" one, none ("tie"), and in which it gives no scores ("failed"). If it fails
        in too many states, "error" says why, in place of the shares.

    Raises:
        ValueError: The name is not that of a judge.
    """
    clear = [
        (s, s.action_values.bid_or_withdraw) for s in states if s.action_values and s.action_values.bid_or_withdraw
    ]
    chosen = clear[:pairs]
    bids = [plain_reply(int(state.full_row["least"][0]), BID) for state, _ in chosen]
    withdrawals = [plain_reply(WITHDRAW, BID)] * len(chosen)
    result = {"judge": public_name(name), "pairs": len(chosen)}
    try:
        compared = ModelJudge(model_client(name), BID).compare([state for state, _ in chosen], bids, withdrawals)
    except JudgeFailure as failure:
        return {**result, "error": str(failure)}
    outcomes = [
        "failed" if scores is None else "tie" if scores[0] == scores[1] else _outcome(scores[0] > scores[1], better > 0)
        for scores, (_, better) in zip(compared, chosen, strict=True)
    ]
    shares = {name: round(outcomes.count(name) / len(chosen), 4) for name in ("same", "other", "tie", "failed")}
    return {**result, **shares}


def _outcome(prefers_bid: bool, bid_is_better: bool) -> str:
    return "same" if prefers_bid == bid_is_better else "other"
