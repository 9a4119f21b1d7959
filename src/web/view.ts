/** Pages are functions from a view (visitor and URL) to markup. They call the same operations as the API. */
import type { VNode } from "preact";
import type { Context } from "../api/context.ts";
import { invoke } from "../api/operations/invoke.ts";
import { personDoor } from "../core/auth/persons.ts";
import type { Scope } from "../core/auth/scopes.ts";
import type { Visitor } from "../core/auth/session/session.ts";
import type { FormPart } from "../core/lib/http/file-form.ts";
import type { Operation } from "../core/operation.ts";
import { Problem } from "../core/problem.ts";
import { Json } from "../core/rendered-json.ts";
import type { OpenShare } from "../library/shares/visits.ts";
import type { pageNames } from "./routes.ts";
import type { Theme } from "./settings/theme.ts";
import type { ScriptName } from "./static-files.ts";

/** Who came with a share link, and what the page says of the form that they sent. */
export interface Guest extends OpenShare {
  notice: string | undefined;
}

export interface View {
  ctx: Context;
  visitor: Visitor;
  url: URL;
  /** Path parameters of the route. */
  params: Record<string, string>;
  /** That the browser chose; undefined: that of its system. */
  theme?: Theme | undefined;
  /** At the review desk alone. */
  guest?: Guest;
}

/** HTML in UTF-8, rendered and escaped earlier. */
export type Markup = Uint8Array<ArrayBuffer>;

export type NavigationEntry = readonly [path: keyof typeof pageNames, label: string, ...anyOf: Scope[]];

/** The entries of the navigation: where each leads, its label, and the scopes of which its page needs one. */
export const navigation = {
  today: ["/", "Today", "feed:read", "assets:read"],
  tasks: ["/tasks", "Tasks", "feed:read"],
  feed: ["/feed", "Feed", "feed:read"],
  projects: ["/projects", "Projects", "feed:read"],
  assets: ["/assets", "Assets", "assets:read"],
  memory: ["/memory", "Memory", "memory:read"],
  usage: ["/usage", "Usage", "feed:read"],
  more: ["/more", "More"],
} as const satisfies Record<string, NavigationEntry>;

export interface Page {
  title: string;
  /** For search engines and link previews, on one line. */
  description?: string;
  /** The navigation entry it belongs to. */
  navEntry: keyof typeof navigation | null;
  body: VNode | Markup;
  /** How many things on it need the visitor: shown in the title and the icon of the tab. */
  attention?: number;
  /** How many items are in the visitor's inbox: shown in the navigation. */
  inboxCount?: number;
  /** The filters of its list that the visitor saved, shown above it. */
  savedViews?: readonly { path: string; name: string; query: string }[];
  status?: number;
  /** The page as Markdown, for `Accept: text/markdown`, and the path of that version. */
  markdown?: { text: string; path: string };
  /** The islands (scripts) that the page loads. */
  islands?: ScriptName[];
  /** A classic script that runs before the body of the page arrives. */
  firstScript?: ScriptName;
  /** A `Set-Cookie` value that the page's form needs. */
  cookie?: string;
  /** Query parameters of the URL that the page does not have. */
  unknownParameters?: string[];
  /** Other origins that the scripts may connect to (`connect-src`). */
  connectOrigins?: string[];
}

/** The fields of a form that was sent. */
export type Form = ReadonlyMap<string, string>;

/**
 * What `work` returns, or after a problem of one of these statuses a page that says why.
 * @throws any other error
 */
export async function orRefusal<T>(
  statuses: readonly number[],
  work: () => Promise<T>,
  refuse: (why: string) => Page | Promise<Page>,
): Promise<T | Page> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || !statuses.includes(error.status)) throw error;
    return { ...(await refuse(error.detail)), status: error.status };
  }
}

type OperationContext = Pick<View, "ctx" | "visitor">;

/** Calls an operation as the visitor. @throws Problem if the operation refuses */
export async function callOperation<T>(
  view: OperationContext,
  op: Operation,
  input: Record<string, unknown> = {},
): Promise<T> {
  const output = await invokeAs(view, op, input);
  return (output instanceof Json ? JSON.parse(output.text) : output) as T;
}

/** What a page reads beside operations, as its visitor may see it. */
export async function readFor<T>({ ctx, visitor }: OperationContext, answer: Promise<T> | T): Promise<T> {
  const door = await personDoor(ctx, visitor.caller);
  return door ? door.hide(await answer) : answer;
}

/** Calls an operation with fields that may be null or empty, which changes what is stored. */
export const callOperationAsGiven = async (
  { ctx, visitor }: OperationContext,
  op: Operation,
  input: Record<string, unknown>,
): Promise<void> => {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  await invoke(op, ctx, visitor.caller, () => new Map(given));
};

/** Calls an operation with a multipart form that is streamed to it. */
export const callOperationWithParts = async <T>(
  { ctx, visitor }: OperationContext,
  op: Operation,
  parts: AsyncIterable<FormPart>,
): Promise<T> => (await invoke(op, ctx, visitor.caller, () => parts)) as T;

function invokeAs(
  view: OperationContext,
  op: Operation,
  input: Record<string, unknown>,
): ReturnType<typeof invoke> {
  const nonEmpty = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return invoke(op, view.ctx, view.visitor.caller, () => new Map(nonEmpty));
}

/** The named query parameters of a URL that are not empty. */
export const filtersOf = (url: URL, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) =>
      url.searchParams.get(name) ? [[name, url.searchParams.get(name) as string]] : [],
    ),
  );

/** The path and query of a URL with some parameters changed; null removes one. */
export function urlWith(url: URL, change: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(change))
    value === null ? query.delete(name) : query.set(name, value);
  const text = query.toString();
  return url.pathname + (text && `?${text}`);
}
