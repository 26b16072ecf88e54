"""How an integrator is run: guarded, within its time, differentiated; and what kind of thing it is."""
