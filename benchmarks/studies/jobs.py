"""Jobs of studies that train: one after another in this process, or several at a time in processes of their own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any


def run_jobs(job: Callable[..., Any], arguments: Sequence[tuple], workers: int) -> Iterator[None]:
    """Call a function with each tuple of arguments, and yield after each call.

    Args:
        job: A function of a module, whose result is dropped.
        arguments: The arguments of each call.
        workers: The number of processes; 1: this process.
    """
    if workers == 1:
        for each in arguments:
            job(*each)
            yield
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        futures = [pool.submit(job, *each) for each in arguments]
        try:
            for future in as_completed(futures):
                future.result()
                yield
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
