/**
 * Answers `initialize` before the MCP library and the operations are loaded, which takes most of the start of
 * `svc mcp` (`bun run bench mcp`). The library gets the request as well, and its response, which is the same,
 * is left out. `svc mcp` loads this first, so it imports only small files.
 */
import { capabilitiesWith, instructions, protocolVersions, serverInfo } from "../server-info.ts";
import type { LineStreams } from "./lines.ts";

/** What comes after the handshake. */
export interface Handshake extends LineStreams {
  /** The id of the request that was answered; null if the library has to answer the first message. */
  answered: string | number | null;
}

/** Reads the first message and answers it if it is a plain `initialize`. The input still has the message. */
export async function answerHandshake({ input, write }: LineStreams): Promise<Handshake> {
  const chunks = input[Symbol.asyncIterator]();
  const first = await chunks.next();
  const request = first.done ? null : initializeIn(first.value);
  if (request) await write(initializeResponse(request));
  return { input: startingWith(first, chunks), write, answered: request?.id ?? null };
}

async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let { done, value } = first; !done; { done, value } = await rest.next()) yield value;
}

interface Initialize {
  id: string | number;
  protocolVersion: string;
}

/** The response of the library to a request that `initializeIn` accepts. */
export const initializeResponse = ({ id, protocolVersion }: Initialize): string =>
  JSON.stringify({
    result: { protocolVersion, capabilities: capabilitiesWith(true), serverInfo, instructions },
    jsonrpc: "2.0",
    id,
  });

const newline = 10;

/** The request in the first line; null for anything that the library may answer in another way. */
function initializeIn(chunk: Uint8Array): Initialize | null {
  const end = chunk.indexOf(newline);
  if (end < 0) return null;
  try {
    return initializeOf(JSON.parse(new TextDecoder().decode(chunk.subarray(0, end))));
  } catch {
    return null;
  }
}

/** The newest revision has no `initialize`; of revisions that svc does not name, the library chooses another. */
const versions: readonly unknown[] = protocolVersions.slice(1);

function initializeOf(message: unknown): Initialize | null {
  if (!hasOnly(message, ["jsonrpc", "id", "method", "params"])) return null;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || method !== "initialize") return null;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return null;
  if (!hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"])) return null;
  const { protocolVersion, capabilities, clientInfo } = params;
  const isPlain =
    versions.includes(protocolVersion) &&
    isObject(clientInfo) &&
    "name" in clientInfo &&
    "version" in clientInfo &&
    Object.values(clientInfo).every((value) => typeof value === "string") &&
    isObject(capabilities) &&
    Object.values(capabilities).every(isObject);
  return isPlain ? { id: id as string | number, protocolVersion: protocolVersion as string } : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasOnly = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length === names.length && names.every((name) => name in value);
