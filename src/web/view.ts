/**
 * What a page is: a function from who asks and what for to markup, through the same operations as every other
 * surface.
 */
import type { VNode } from "preact";
import type { FormPart } from "../assets/upload-form.ts";
import type { Visitor } from "../auth/session.ts";
import type { Context } from "../context.ts";
import { invoke } from "../operations/invoke.ts";
import type { Operation } from "../operations/operation.ts";
import { Json } from "../wire.ts";
import type { ScriptName } from "./static-files.ts";

export interface View {
  ctx: Context;
  visitor: Visitor;
  url: URL;
  /** Parts of the path that the route names. */
  params: Record<string, string>;
}

/** Of ours, rendered and escaped a while ago: HTML in UTF-8. */
export type Markup = Uint8Array<ArrayBuffer>;

export interface Page {
  title: string;
  /** Which entry of the navigation it belongs to. */
  place: "feed" | "projects" | "assets" | "methodology" | "docs" | null;
  body: VNode | Markup;
  status?: number;
  /** The same for a reader that asks for `text/markdown`, and where it has an address of its own. */
  markdown?: { text: string; path: string };
  /** Scripts of this page, of `islands`. */
  islands?: ScriptName[];
  /** The `Set-Cookie` value that its forms need. */
  cookie?: string;
  /** Origins besides the site that these scripts ask. */
  asks?: string[];
}

type Asked = Pick<View, "ctx" | "visitor">;

/** The answer of an operation for this visitor; what it refuses is thrown. */
export async function ask<T>(view: Asked, op: Operation, input: Record<string, unknown> = {}): Promise<T> {
  const output = await answer(view, op, input);
  return (output instanceof Json ? JSON.parse(output.text) : output) as T;
}

/** The same as its JSON text, which some operations have at hand. */
export async function askText(
  view: Asked,
  op: Operation,
  input: Record<string, unknown> = {},
): Promise<string> {
  const output = await answer(view, op, input);
  return output instanceof Json ? output.text : JSON.stringify(output);
}

/** A form with a file, given to its operation as it comes in. */
export const askWithParts = async <T>(
  { ctx, visitor }: Asked,
  op: Operation,
  parts: AsyncIterable<FormPart>,
): Promise<T> => (await invoke(op, ctx, visitor.caller, () => new Map([["parts", parts]]))) as T;

function answer(view: Asked, op: Operation, input: Record<string, unknown>): ReturnType<typeof invoke> {
  const given = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return invoke(op, view.ctx, view.visitor.caller, () => new Map(given));
}

/** Filters as the address has them; an empty one is none. */
export const filtersOf = (url: URL, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) =>
      url.searchParams.get(name) ? [[name, url.searchParams.get(name) as string]] : [],
    ),
  );

/** The same address with other parameters; null takes one away. */
export function addressWith(url: URL, change: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(change))
    value === null ? query.delete(name) : query.set(name, value);
  const text = query.toString();
  return url.pathname + (text && `?${text}`);
}
