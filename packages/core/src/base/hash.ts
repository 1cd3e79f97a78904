/**
 * A 53-bit fingerprint of a text (cyrb53 by bryc, public domain): two 32-bit lanes of multiply and mix, folded into
 * the largest integer that a number holds exactly. Records store fingerprints of ids and results to stay small. With
 * the few hundred that one record holds, a collision happens about once in 10^11 records. Not for secrets:
 * collisions are easy to construct.
 */
export function hashText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return 0x1_0000_0000 * (low & 0x1f_ffff) + (high >>> 0);
}
