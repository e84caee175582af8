"""HiGHS without a word on the screen, for all that use it."""

from __future__ import annotations

import highspy


class QuietHighs(highspy.Highs):  # type: ignore[misc]
    """HiGHS without the banner that its constructor prints."""

    def enableCallbacks(self) -> None:  # noqa: N802 - called on construction
        """Silence the solver before its callbacks print that they run."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()
