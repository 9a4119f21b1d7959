/**
 * Which clients get structured content. Some agents hand it to the model in place of the text and the images
 * of a result, or after them. Their models would read text of others without its data tags, and see no image,
 * so these clients get neither structured content nor output schemas.
 */
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";

/**
 * As in `clientInfo.name` and in the User-Agent header. Seen with Claude Code 2.1.332, Codex 0.171.0, and
 * Copilot CLI 1.0.102, which appends it to the text.
 */
const textClients: ReadonlySet<string> = new Set(["claude-code", "codex-mcp-client", "copilot-cli"]);

/** @param client the name of a client, or its User-Agent header */
export const takesStructuredContent = (client: string | null | undefined): boolean =>
  !textClients.has((client ?? "").split("/", 1)[0] as string);

type Members = Record<string, unknown> | undefined;

/**
 * The name that a message gives its client: the first one of a connection, and each one of revision
 * 2026-07-28. @param message any JSON value
 */
export function clientNameOf(message: unknown): string | undefined {
  const params = (message as Members)?.params as Members;
  const meta = params?._meta as Members;
  const { name } = ((params?.clientInfo ?? meta?.[CLIENT_INFO_META_KEY]) as Members) ?? {};
  return typeof name === "string" ? name : undefined;
}
