/** What svc has to know of a forge, beyond its row in `src/core/forges/schema.ts`. */
import type { OutboxRow } from "../../library/rows.ts";
import type { Sender } from "../incoming-webhooks/sender.ts";

/** It sends webhooks, and takes comments. */
export interface Forge extends Sender {
  /** Its page of the documentation, as Markdown. */
  page: string;
  issues: ForgeIssues;
}

/** A retry cannot succeed. */
export class PermanentError extends Error {
  override name = "Undeliverable";
}

/** Sends a request. @throws {PermanentError} if a retry cannot succeed, any other error if it may */
export type CallForge = (method: string, path: string, body?: object) => Promise<unknown>;

/** An issue or a pull request. */
export type TaskPlace = Pick<OutboxRow, "repo" | "number" | "is_pull">;

interface CommentPage {
  bodies: (string | undefined)[];
  isLast: boolean;
}

/** The API of one kind of forge. */
export interface ForgeIssues {
  /** The headers that authenticate. */
  headers(token: string): Record<string, string>;
  /** Text at the end of a comment that readers do not see, by which a retry finds it. */
  mark(marker: string): string;
  /** A page of the comments, from 1. */
  listComments(call: CallForge, task: TaskPlace, page: number): Promise<CommentPage>;
  postComment(call: CallForge, task: TaskPlace, body: string): Promise<unknown>;
  /** Reopens the task if it is closed and can be reopened. */
  reopen(call: CallForge, task: TaskPlace): Promise<unknown>;
}

/** A Markdown comment in HTML syntax, which GitHub, GitLab and Gitea keep but do not show. */
export const htmlMark = (marker: string): string => `<!-- svc:${marker} -->`;
