#include <algorithm>

#include "core/pieces.hpp"

namespace escapement {

void Pieces::divide(std::span<const int> rows, int per_element) {
  const int elements = static_cast<int>(rows.size()) / per_element;
  constexpr int nobody = -1, several = -2;
  std::vector<int> owner(1 + *std::max_element(rows.begin(), rows.end()), nobody);
  for (int k = 0; k < elements; ++k)
    for (int i = 0; i < per_element; ++i)
      if (const int row = rows[k * per_element + i]; row >= 0) {
        const int piece = k / size;
        owner[row] = owner[row] == nobody || owner[row] == piece ? piece : several;
      }
  border_.assign(elements, 0);
  for (int k = 0; k < elements; ++k)
    for (int i = 0; i < per_element; ++i)
      if (const int row = rows[k * per_element + i]; row >= 0 && owner[row] == several) border_[k] = 1;
  for (int k = 0; k < elements; ++k)
    if (border_[k]) borders_.push_back(k);
  if (static_cast<int>(borders_.size()) > elements / 8) {  // too many that have to wait for each other
    border_ = {};
    borders_ = {};
    return;
  }
  pieces_ = (elements + size - 1) / size;
}

}  // namespace escapement
