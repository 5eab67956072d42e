#include "components/beam/segment.hpp"

#include <utility>

template struct escapement::Adaptor<escapement::beam::Segment>;
template struct escapement::Adaptor<escapement::beam::DampedSegment>;

namespace escapement::beam {

Stiffness inverse(Stiffness a) {
  Stiffness b{};
  for (int i = 0; i < 6; ++i) b[i][i] = 1;
  for (int k = 0; k < 6; ++k) {
    const double pivot = a[k][k];
    for (int j = 0; j < 6; ++j) {
      a[k][j] /= pivot;
      b[k][j] /= pivot;
    }
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (int j = 0; j < 6; ++j) {
        a[i][j] -= factor * a[k][j];
        b[i][j] -= factor * b[k][j];
      }
    }
  }
  return b;
}

Stiffness of_segment(const Stiffness& section, double length) {
  Stiffness c = inverse(section);
  // A force along y bends about z, one along z about −y.
  const double part = length * length / 12;
  const double zz = part * c[5][5], yy = part * c[4][4], yz = part * c[4][5];
  c[1][1] += zz;
  c[2][2] += yy;
  c[1][2] -= yz;
  c[2][1] -= yz;
  return inverse(c);
}

}  // namespace escapement::beam
