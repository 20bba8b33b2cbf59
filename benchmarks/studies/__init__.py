"""Studies, a folder a paper and a file a study; and what a study of your own needs."""

from aucenv.benchmarks.studies.cells import bidders_of, estimates, group_by, same_in_all_seats
from aucenv.benchmarks.studies.study import Study

__all__ = ["Study", "bidders_of", "estimates", "group_by", "same_in_all_seats"]
