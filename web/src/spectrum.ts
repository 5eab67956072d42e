// The amplitude spectrum of a piece of a signal.
import { interval } from "./decode";

/** In place; the length is a power of two. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1;
    for (let k = 0; k < half; ++k) {
      const angle = (-2 * Math.PI * k) / size;
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const x = re[j] * c - im[j] * s;
        const y = re[j] * s + im[j] * c;
        re[j] = re[i] - x;
        im[j] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

export interface Spectrum {
  frequency: Float64Array; // Hz, without zero
  amplitude: Float64Array; // of a sine wave, in the unit of the signal
}

/** One-sided, of the samples within [from, to]: resampled evenly, mean taken off, Hann window. */
export function spectrum(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  from: number,
  to: number,
): Spectrum | null {
  const begin = Math.max(from, times[0]);
  const end = Math.min(to, times[times.length - 1]);
  const inside = interval(times, end) - interval(times, begin);
  if (!(end > begin) || inside < 8) return null;
  const n = 2 ** Math.min(17, Math.ceil(Math.log2(inside + 1)));
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  const step = (end - begin) / n;
  let mean = 0;
  for (let i = 0, k = interval(times, begin); i < n; ++i) {
    const t = begin + i * step;
    while (k < times.length - 2 && times[k + 1] <= t) ++k;
    const width = times[k + 1] - times[k];
    const v = width > 0 ? values[k] + ((t - times[k]) / width) * (values[k + 1] - values[k]) : values[k + 1];
    re[i] = v;
    mean += v / n;
  }
  // The window's mean is one half; a sine wave has half its amplitude at each of ±f.
  for (let i = 0; i < n; ++i) re[i] = (re[i] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / n));
  fft(re, im);
  const half = n >> 1;
  const frequency = new Float64Array(half - 1);
  const amplitude = new Float64Array(half - 1);
  for (let k = 1; k < half; ++k) {
    frequency[k - 1] = k / (end - begin);
    amplitude[k - 1] = (4 * Math.hypot(re[k], im[k])) / n;
  }
  return { frequency, amplitude };
}
