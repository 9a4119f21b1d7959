/**
 * A chat that shows MCP Apps, in the browser: the host of the protocol's own package, with the frame and the
 * policy that its specification asks for. `mcp(method, params)`, `opened(url)` and `sized(height)` come from
 * the test.
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

declare const mcp: (method: string, params: unknown) => Promise<never>;
declare const opened: (url: string) => void;
declare const document: {
  body: { append(frame: unknown): void };
  createElement(name: "iframe"): { sandbox: string; srcdoc: string; style: string; contentWindow: never };
};

interface Shown {
  html: string;
  arguments: Record<string, unknown>;
  /** Without it, the host never sends the result: some do not. */
  result: never | null;
  theme: "light" | "dark";
}

const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'";

async function showCard({ html, arguments: args, result, theme }: Shown): Promise<void> {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 100%; height: 560px; border: 0";
  document.body.append(frame);
  const capabilities = { openLinks: {}, serverTools: {}, serverResources: {} };
  const hostContext = { theme, displayMode: "inline" } as const;
  const bridge = new AppBridge(null, { name: "chat", version: "1" }, capabilities, { hostContext });
  bridge.oncalltool = (params) => mcp("tools/call", params);
  bridge.onreadresource = (params) => mcp("resources/read", params);
  bridge.onopenlink = async ({ url }) => {
    opened(url);
    return {};
  };
  bridge.oninitialized = async () => {
    await bridge.sendToolInput({ arguments: args });
    if (result) await bridge.sendToolResult(result);
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace(
    "<head>",
    `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}

Object.assign(globalThis, { showCard });
