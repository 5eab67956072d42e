// What all cases include, read once (validation/CMakeLists.txt).
