"""How games proceed: the engine's rounds, tables, rollouts, and rivals inside of an environment."""
