import type { Instant } from '@holter/core';

/** A token bucket: `perSecond` on the long run, twice that in one burst. */
export type Bucket = { left: number; at: Instant };

export const fullBucket = (perSecond: number, at: Instant): Bucket => ({ left: perSecond * 2, at });

/** Takes one if there is one. Edits the bucket: it is asked on every request. */
export function takeOne(bucket: Bucket, perSecond: number, at: Instant): boolean {
  const left = refill(bucket, perSecond, at);
  if (left >= 1) bucket.left = left - 1;
  return left >= 1;
}

function refill(bucket: Bucket, perSecond: number, at: Instant): number {
  const gained = (Math.max(0, at - bucket.at) * perSecond) / 1_000;
  bucket.at = at;
  bucket.left = Math.min(perSecond * 2, bucket.left + gained);
  return bucket.left;
}

const ADDRESSES_MAX = 10_000;

/** Buckets by a name that strangers choose, so their number is bounded: the oldest is forgotten first. */
export class Buckets {
  private readonly byName = new Map<string, Bucket>();
  private readonly perSecond: number;

  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  takeOne(name: string, at: Instant): boolean {
    return takeOne(this.bucketOf(name, at), this.perSecond, at);
  }

  hasOne(name: string, at: Instant): boolean {
    return refill(this.bucketOf(name, at), this.perSecond, at) >= 1;
  }

  private bucketOf(name: string, at: Instant): Bucket {
    const known = this.byName.get(name);
    if (known) return known;
    const bucket = fullBucket(this.perSecond, at);
    this.byName.set(name, bucket);
    if (this.byName.size > ADDRESSES_MAX) {
      const oldest = this.byName.keys().next();
      if (!oldest.done) this.byName.delete(oldest.value);
    }
    return bucket;
  }
}
