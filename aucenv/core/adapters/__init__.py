"""PettingZoo's and Gymnasium's APIs, and batches: actions, observations, infos and spaces."""
