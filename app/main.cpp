// placeholder for the first compile
int main() { return 0; }
