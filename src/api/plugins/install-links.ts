/** Links that add the MCP server of a deployment to an editor. */
import { paths } from "../../core/info.ts";
import { tokenText, tokenVariable } from "./plugin.ts";

const mcpUrl = (siteUrl: string): string => siteUrl + paths.mcp;

/** For Cursor, which reads the token from the environment. */
export function cursorLink(siteUrl: string): string {
  const headers = { Authorization: `Bearer \${env:${tokenVariable}}` };
  const config = Buffer.from(JSON.stringify({ url: mcpUrl(siteUrl), headers })).toString("base64");
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=svc&config=${encodeURIComponent(config)}`;
}

/** For VS Code, which asks for the token once and stores it. */
export function vscodeLink(siteUrl: string): string {
  const server = {
    name: "svc",
    type: "http",
    url: mcpUrl(siteUrl),
    headers: { Authorization: `Bearer \${input:svc-token}` },
    inputs: [{ type: "promptString", id: "svc-token", description: tokenText, password: true }],
  };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
}
