"""RLAct: finetuning of a language model on judged replies."""
