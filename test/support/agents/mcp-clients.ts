/**
 * MCP clients for tests: the official clients of both generations, and plain requests of both protocol eras.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { programCommand, programEnvironment, type TestRequest } from "../harness.ts";

const modernVersion = "2026-07-28";
const clientInfo = { name: "svc-test", version: "1.0.0" };

/** Client library and protocol revision: the combinations in use. */
export const generations = ["sdk 1, 2025-11-25", "client 2, 2025-11-25", "client 2, 2026-07-28"] as const;
export type Generation = (typeof generations)[number];

export interface McpClient extends AsyncDisposable {
  client: Client;
}

export function connectHttp(generation: Generation, origin: string, token?: string): Promise<McpClient> {
  const url = new URL("/mcp", origin);
  const requestInit = { headers: token ? { authorization: `Bearer ${token}` } : {} };
  return connect(generation, () =>
    isOlder(generation)
      ? new OlderHttpTransport(url, { requestInit })
      : new StreamableHTTPClientTransport(url, { requestInit }),
  );
}

export function connectStdio(
  generation: Generation,
  env: Record<string, string>,
  args: string[] = [],
): Promise<McpClient> {
  const [command, ...words] = programCommand();
  const program = {
    command,
    args: [...words, "mcp", ...args],
    env: programEnvironment(env),
    stderr: "pipe" as const,
  };
  return connect(generation, () =>
    isOlder(generation) ? new OlderStdioTransport(program) : new StdioClientTransport(program),
  );
}

const isOlder = (generation: Generation) => generation === "sdk 1, 2025-11-25";

async function connect(generation: Generation, open: () => unknown): Promise<McpClient> {
  const pinned =
    generation === "client 2, 2026-07-28" ? { versionNegotiation: { mode: { pin: modernVersion } } } : {};
  // safe because: what the tests call has the same shape in both libraries
  const client = isOlder(generation)
    ? (new OlderClient(clientInfo) as unknown as Client)
    : new Client(clientInfo, pinned);
  await client.connect(open() as Parameters<Client["connect"]>[0]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

export type Era = "older" | "modern";
export const eras: Era[] = ["older", "modern"];

interface Message {
  jsonrpc: "2.0";
  id?: number | string;
  method: string;
  params: Record<string, unknown>;
}

/** Builds a JSON-RPC request as a client of that era does. */
export const message = (era: Era, method: string, params: Record<string, unknown> = {}): Message => ({
  ...{ jsonrpc: "2.0", id: 1, method },
  params: era === "older" ? params : { ...params, _meta: envelope },
});

export const envelope = {
  "io.modelcontextprotocol/protocolVersion": modernVersion,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": clientInfo,
};

/** Builds the HTTP request to the app. */
export function mcpRequest(
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): TestRequest {
  const name = params.name ?? params.uri;
  const modern = {
    "mcp-protocol-version": modernVersion,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
  const older = { "mcp-protocol-version": "2025-11-25" };
  return {
    headers: {
      accept: "application/json, text/event-stream",
      ...(era === "modern" ? modern : older),
      ...headers,
    },
    json: message(era, method, params),
  };
}

export const toolCall = (era: Era, name: string, args: Record<string, unknown> = {}): TestRequest =>
  mcpRequest(era, "tools/call", { name, arguments: args });

/** The result of a tool call, without the JSON-RPC envelope. */
export interface ToolAnswer {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export const textOf = ({ content }: Pick<ToolAnswer, "content">): string =>
  content.map(({ text }) => text).join("\n");

/** Removes everything inside <data-…> tags from a text. */
export const outsideDataTags = (text: string): string =>
  text.replace(/<data-([0-9a-f]{16}) by="(?:[^"\\]|\\.)*">[\s\S]*?<\/data-\1>/g, "");
