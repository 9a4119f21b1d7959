/** TLS of webhooks: the address is pinned, and the name is what the certificate must be for. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { temporaryFolder } from "../../../support/harness.ts";
import { repositoryRoot } from "../../../support/repository.ts";
import { writeCertificate } from "../../../support/servers/nginx.ts";

describe("a webhook by https", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: Server;
  const serverNames: unknown[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    await writeCertificate(folder.path, "hooks.test");
    const read = (name: string) => Bun.file(join(folder.path, name)).text();
    server = createServer({ key: await read("site.key"), cert: await read("site.pem") }, (socket) => {
      serverNames.push((socket as { servername?: unknown }).servername);
      socket
        .on("error", () => {})
        .once("data", (bytes) => {
          const host = /^host: (.*)$/im.exec(bytes.toString())?.[1]?.trim() ?? "";
          socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${host.length}\r\n\r\n${host}`);
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    server.close();
    await folder.close();
  });

  async function sendTo(host: string, isTrusted = true): Promise<string> {
    const { port } = server.address() as { port: number };
    const child = Bun.spawn(
      [process.execPath, "test/support/webhooks/tls-sender.ts", `https://${host}:${port}/in`, "127.0.0.1"],
      {
        cwd: repositoryRoot,
        env: { ...process.env, ...(isTrusted && { NODE_EXTRA_CA_CERTS: join(folder.path, "site.pem") }) },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    return (await new Response(child.stdout).text()).replace(String(port), "port");
  }

  test("reaches the checked address with the name in SNI and Host", async () => {
    expect(await sendTo("hooks.test")).toBe("200 hooks.test:port");
    expect(serverNames).toEqual(["hooks.test"]);
  });

  test("is not sent to a server whose certificate is for another name, or not trusted", async () => {
    const answers = await Promise.all([
      sendTo("other.test"),
      sendTo("127.0.0.1"),
      sendTo("hooks.test", false),
    ]);
    expect(answers).toEqual([
      "The receiver's TLS certificate is for another name.",
      "The receiver's TLS certificate is for another name.",
      "The receiver's TLS certificate is not signed by a trusted authority.",
    ]);
  });
});
