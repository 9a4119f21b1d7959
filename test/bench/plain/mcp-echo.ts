/**
 * The least that an MCP server does over HTTP, on the same SDK, written as in its guide: a tool that
 * says what it hears.
 */
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

const inputSchema = fromJsonSchema<{ text: string }>({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool("echo", { description: "Echo", inputSchema }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
});

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: (request) => mcp.fetch(request),
});
process.stdout.write(`${server.url}\n`);
