"""Looking at a problem before solving it: support sets, bounds, needless tests, contradictions."""

from odt.transform.bounds import pair_cover_bound, support_set_bound
from odt.transform.conflicts import check_consistent, resolve
from odt.transform.support_sets import SupportSet, SupportSets, restrict
from odt.transform.tests import undominated_tests

__all__ = [
    "SupportSet",
    "SupportSets",
    "check_consistent",
    "pair_cover_bound",
    "resolve",
    "restrict",
    "support_set_bound",
    "undominated_tests",
]
