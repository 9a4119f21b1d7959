/** What svc has to know of a chat service. */
import type { Answer } from "../../destination/post.ts";
import type { Digest } from "../notices/notice.ts";

export type { Answer };

/** One request to a service. */
export interface Message {
  body: string;
  contentType: string;
  headers?: Record<string, string>;
}

export interface Outcome {
  ok: boolean;
  /** How long to wait before the next attempt. */
  retryAfterMs?: number;
  /** No attempt can succeed: the webhook's URL is no longer valid. */
  isPermanent?: boolean;
}

export interface ChatService {
  /** As people write it. */
  label: string;
  /** Hosts that belong to it; absent if it can be run on any host. */
  hosts?: RegExp;
  /** Paths of its URLs, and such a URL. */
  path: RegExp;
  shape: string;
  /** Whether this URL of another service takes its messages. */
  alsoAt?(url: URL): boolean;
  /** Returns a sentence that says what else is wrong with a URL; null if nothing is. */
  urlRule?(url: URL): string | null;
  layout(digest: Digest): Message;
  /** Reads a response, where the status alone does not tell what happened. */
  outcome(answer: Answer): Outcome;
}
