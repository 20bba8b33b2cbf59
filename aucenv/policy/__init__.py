"""Bidders: the Policy protocol, and policies by name."""

from aucenv.core.policy import ModelFailure, Policy, PolicyError, check_fits, check_policy
from aucenv.core.words.bidder_name import BidderSpec, inner_name, label_of, parse_bidder, public_name
from aucenv.policy.registry import MAKERS, make_policy, rule_bidders, scripted_bidders
from aucenv.policy.user_code import file_digest, load_user_policy

__all__ = [
    "MAKERS",
    "BidderSpec",
    "ModelFailure",
    "Policy",
    "PolicyError",
    "check_fits",
    "check_policy",
    "file_digest",
    "inner_name",
    "label_of",
    "load_user_policy",
    "make_policy",
    "parse_bidder",
    "public_name",
    "rule_bidders",
    "scripted_bidders",
]
