/** What the sender of an event says about its run, kept in the payload of the event's row. */
import { type Micros, parseMicros } from "../../core/lib/time.ts";

export interface RunPayload {
  /** When it happened, by the sender's clock (RFC 3339). */
  ts?: string;
  /** The run that started this one. */
  parent_run_id?: string;
  /** The branch that was checked out. */
  branch?: string;
  /** Of a start: the name of the token that reported it. */
  token?: string;
  /** It came from a hook of an agent. */
  hook?: true;
  /** Of a hook: whether the agent works from now on, or waits for a prompt or for an answer. */
  turn?: Turn;
  /** It corrects the usage of an earlier step, and is none itself. */
  correction?: true;
  /** Files that the run changed: paths inside the repository. */
  files?: readonly string[];
}

const turns = ["working", "idle", "waiting"] as const;
/** `idle`: it waits for a prompt; `waiting`: for a permission or an answer, in the middle of its work. */
export type Turn = (typeof turns)[number];

/** How the keys of events begin that hooks report. */
export const hookKeyPrefix = "hook:";

/** What the key of a hook's event says of its turn; null for the key of another event. */
export const turnOfKey = (key: string): Turn | null =>
  (/^hook:.*:(working|idle|waiting):\d+$/s.exec(key)?.[1] as Turn | undefined) ?? null;

type Sent = { [F in keyof RunPayload]?: RunPayload[F] | null | undefined };

/** The payload of an event; null when there is nothing to keep. */
export function payloadOf({ ts, parent_run_id, branch, token, hook, turn, files }: Sent): RunPayload | null {
  if (!ts && !parent_run_id && !branch && !token && !hook && !files?.length) return null;
  return {
    ...(ts && { ts }),
    ...(parent_run_id && { parent_run_id }),
    ...(branch && { branch }),
    ...(token && { token }),
    ...(hook && { hook }),
    ...(hook && turn && { turn }),
    ...(files?.length && { files }),
  };
}

/** Times beyond this are not exact as JavaScript numbers: the years 1684 and 2255. */
const latest = Number.MAX_SAFE_INTEGER;

/** Reads a stored payload. A webhook's payload can hold anything, so each field is checked. */
export function readPayload(payload: unknown): ReadPayload {
  if (typeof payload !== "object" || payload === null) return emptyPayload;
  const {
    ts,
    parent_run_id: parent,
    branch,
    token,
    hook,
    turn,
    correction,
    files,
  }: { [F in keyof RunPayload]?: unknown } = payload;
  const at = typeof ts === "string" ? parseMicros(ts) : null;
  return {
    at: at === null ? null : Math.max(-latest, Math.min(latest, at)),
    parent: typeof parent === "string" ? parent : null,
    branch: typeof branch === "string" ? branch : null,
    token: typeof token === "string" ? token : null,
    isHook: hook === true,
    turn: turns.find((one) => one === turn) ?? null,
    isCorrection: correction === true,
    files: Array.isArray(files) ? files.filter((path) => typeof path === "string") : [],
  };
}

/** What an event says about its run. */
export interface ReadPayload {
  /** When it happened by its sender's clock, if known. */
  at: Micros | null;
  /** The run that started this one. */
  parent: string | null;
  branch: string | null;
  /** Of a start: the token that reported it, if known. */
  token: string | null;
  isHook: boolean;
  turn: Turn | null;
  /** Whether it corrects the usage of an earlier step. */
  isCorrection: boolean;
  files: readonly string[];
}

export const emptyPayload = readPayload({});
