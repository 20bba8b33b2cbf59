"""The packages: `baselines`, `benchmarks` and `training` stand beside `aucenv` and are installed inside it."""

from setuptools import find_packages, setup

BESIDE = ("baselines", "benchmarks", "training")
setup(
    package_dir={"aucenv": "aucenv", **{f"aucenv.{room}": room for room in BESIDE}},
    packages=[
        *find_packages(include=["aucenv", "aucenv.*"]),
        *(f"aucenv.{name}" for room in BESIDE for name in find_packages(include=[room, f"{room}.*"])),
    ],
)
