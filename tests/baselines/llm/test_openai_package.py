"""The openai package under the client: its versions, its environment variables, proxies, Azure."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from aucenv.baselines.llm.endpoints.client import ApiModel
from aucenv.baselines.llm.endpoints.connection import NEXT, OLDEST
from dialect_servers import AzureDeployments, OpenAIChat, OpenAIResponses
from pauses import no_pause

from aucenv.core.policy import ModelFailure
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request
from aucenv.runs.results import versions

REQUEST = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 50, 7)
KEY = "sk-planted-5f2a9c"
WITH_VERSION = """
import sys, openai
openai.__version__ = sys.argv.pop(1)
from aucenv.cli import main
main(sys.argv[1:])
"""


def test_the_extra_allows_the_versions_that_the_client_takes():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    wanted = f"openai>={OLDEST[0]}.{OLDEST[1]},<{NEXT[0]}"
    assert wanted in project["optional-dependencies"]["llm"]
    assert versions()["openai"]


@pytest.mark.parametrize("version", ["1.109.1", "2.53.9", "4.0.0rc1"])
def test_another_version_is_refused_in_one_line(version, tmp_path):
    bidders = ["--bidder", "m=llm:openai:m,base_url=http://127.0.0.1:9/v1", "--bidder", "rule", "--bidder", "value"]
    ran = subprocess.run(
        [sys.executable, "-c", WITH_VERSION, version, "leaderboard", *bidders], capture_output=True, text=True
    )
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert re.fullmatch(
        rf"aucenv: llm:openai \(openai {version}, expected openai>=2.54,<4\) needs the extra llm: .*install.*\n",
        ran.stderr,
    )


def test_a_proxy_of_the_environment_is_used(monkeypatch):
    with OpenAIChat() as server, OpenAIChat() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        model = ApiModel("m", server.url.replace("127.0.0.1", "auction.invalid"), attempts=1)
        with pytest.raises(ModelFailure, match="Invalid URL"):  # the stand-in for a proxy answers itself
            model.complete(REQUEST, no_pause)
        assert proxy.paths == [f"{model.endpoint}/chat/completions"]
        assert server.paths == []


def test_a_deployment_of_azure_gets_its_key_in_another_header(monkeypatch):
    for name in ("AZURE_OPENAI_AD_TOKEN", "AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, f"other-{KEY}")
    monkeypatch.setenv("AZURE_LIKE_KEY", KEY)
    with AzureDeployments() as server:
        make_policy("english", server.bidder).model.complete(REQUEST, no_pause)
        headers = server.headers[0]
    assert headers["api-key"] == KEY
    assert not any(f"other-{KEY}" in value for value in headers.values())


def test_a_version_of_azure_needs_an_address():
    with pytest.raises(ValueError, match=r"api_version: expected base_url=https://"):
        make_policy("english", "llm:openai:m,api_version=2024-10-21,key_env=PATH")


def test_an_endpoint_without_the_responses_api_is_named_with_the_way_out():
    with OpenAIChat() as server, pytest.raises(ModelFailure, match="set api=chat") as caught:
        ApiModel("m", server.url, api="responses").complete(REQUEST, no_pause)
    assert len(server.requests) == 1
    with OpenAIResponses() as server, pytest.raises(ModelFailure, match="404: Invalid URL") as caught:
        ApiModel("m", server.url).complete(REQUEST, no_pause)
    assert "api=chat" not in str(caught.value)
