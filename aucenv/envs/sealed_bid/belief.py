"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

from aucenv.envs.prizes.belief import resample

__all__ = ["resample"]
