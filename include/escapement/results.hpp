// Tables of results: written row by row, and read back (docs/results.md).
//
//   csv_writer(path, columns), hdf5_writer(path, columns)   a Writer: row(values), flush(), close(); time (s) comes first
//   read_results(run_folder_or_csv), read_hdf5(path)        Results: columns and data, by column
//   RunFolder                                               a folder for a run, which never overwrites anything but a run
//
//   const auto writer = csv_writer("results.csv", {{"time", "s"}, {"mass.position", "m"}});
//   writer->row(std::array{state.t, system.value(state, x)[0]});
//   writer->close();
//   const Results results = read_results("swing-run");
//   const std::vector<double>& x = results.data.at(results.find("mass.position"));
//
// Throws FileError.
#pragma once
#include "record/file_error.hpp"
#include "record/results.hpp"
#include "record/run_folder.hpp"
#include "record/writer.hpp"
