/** Schemas of email digests. */

export const digestPeriods = ["daily", "weekly"] as const;
export type DigestPeriod = (typeof digestPeriods)[number];

/** `pending`: not confirmed yet. `paused`: the mail server refused its address. */
export const digestStatuses = ["pending", "active", "paused"] as const;
export type DigestStatus = (typeof digestStatuses)[number];
