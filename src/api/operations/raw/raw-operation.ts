/**
 * An operation that reads the body of its request itself and makes its own response: webhooks, telemetry,
 * pieces of a file. Its path is outside of `/api/v1`. HTTP and OpenAPI are generated from it.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import type { Caller } from "../../../core/auth/caller.ts";
import type { Scope } from "../../../core/auth/scopes.ts";
import type { JsonSchema } from "../../../core/lib/json-schema.ts";
import type { Operation } from "../../../core/operation.ts";
import type { Status } from "../../../core/problem.ts";
import type { Context } from "../../context.ts";
import type { Connection, RatePolicy } from "../../http/api-middleware.ts";

/** @param caller anonymous if the operation takes no token */
export type RawHandler = (
  request: Request,
  connection: Connection | null,
  caller: Caller,
) => Response | Promise<Response>;

/** A header or parameter. */
export interface RawField {
  description: string;
  example?: string | number;
  /** Without it: the type of the example, whose numbers are bytes. */
  schema?: TSchema;
}

export interface RawParameter extends RawField {
  in: "header" | "query" | "path";
  required: boolean;
}

/** Media type → what it holds. */
export type Content = Record<string, { schema: TSchema; example?: unknown }>;

export interface RawOperation extends Pick<Operation, "id" | "tag" | "summary" | "description"> {
  /** `ALL` only answers with errors. */
  method: "GET" | "POST" | "PUT" | "PATCH" | "HEAD" | "DELETE" | "OPTIONS" | "ALL";
  /** From the root. `{name}` is a parameter. */
  path: string;
  /** The origin that it is served at, and why outside of `/api/v1`; the same for each method of a path. */
  server: { of: "siteUrl" | "contentUrl"; description: string };
  /** Served but not documented. */
  unlisted?: true;
  /**
   * The scope of its bearer token, and the rate limit. It is then a write, refused by a demo. Without it the
   * handler checks what proves the request, such as a signature.
   */
  token?: { scope: Scope; limit: RatePolicy };
  /** The ways to prove a request: name of the security scheme → its description in OpenAPI. */
  security: Record<string, JsonSchema>;
  parameters?: Record<string, RawParameter>;
  body?: { isOptional?: true; content: Content };
  /** The responses other than problem documents, by status. */
  responses: Record<number, { description: string; headers?: Record<string, RawField>; content?: Content }>;
  /** Statuses of its problem documents. */
  errors: readonly Status[];
  errorHeaders?: Record<string, RawField>;
  /** What an error is for senders that read no problem documents. */
  errorContent?: Content;
  /** Changes a request before its caller is found. */
  prepare?(request: Request): void;
  /** Called once for each server. */
  handler(ctx: Context): RawHandler;
  /** Changes every response, those with an error too. */
  finish?(response: Response, request: Request): Response | Promise<Response>;
}

/** A file, or a message in an encoding that OpenAPI cannot describe. */
export const binary = { schema: Type.Unsafe<Uint8Array>({ type: "string", format: "binary" }) };

export const jsonContent = (schema: TSchema, example: unknown): Content => ({
  "application/json": { schema, example },
});

/** The security scheme of an access token. */
export const bearer = {
  type: "http",
  scheme: "bearer",
  description: "Access token, created by an admin with `svc token create`.",
};
