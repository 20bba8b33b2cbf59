"""The population: families of bidders with drawn parameters, a module a game."""
