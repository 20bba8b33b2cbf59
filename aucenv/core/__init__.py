"""What all games share: states and their kernels, tables, adapters, boards, records, words."""
