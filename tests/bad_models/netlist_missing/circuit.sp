A circuit
R1 a 0 1
