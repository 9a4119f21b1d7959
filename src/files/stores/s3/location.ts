/** Where a bucket is, and how long to wait for it. */

export interface S3Location {
  /** `https://host[/path]`, followed by the bucket. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Prefix of every key, without leading and trailing slash. */
  prefix?: string;
  /** Without an access key, the credential chain of AWS provides one, and renews it before it expires. */
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  /** Size of the smallest part that the bucket takes, the last one aside; 5 MiB by default, as S3 says. */
  partBytesMin?: number;
}

export const defaultPartBytesMin = 5 * 2 ** 20;

/** Timeouts and retries of requests to a store. */
export interface S3Timeouts {
  /** Time to a response over all attempts, and the inactivity timeout of large transfers. */
  responseMs: number;
  /** The same for a follow-up request, such as a check or a cleanup. Both together stay under ten seconds. */
  followUpMs: number;
  /** Maximum attempts, and the longest delay before the second one, doubled for each further one. */
  attempts: number;
  retryMs: number;
}

export const defaultTimeouts: S3Timeouts = {
  responseMs: 7_000,
  followUpMs: 2_500,
  attempts: 3,
  retryMs: 100,
};
