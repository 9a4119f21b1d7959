/** Caddy with cli/deploy/Caddyfile. */
import { join } from "node:path";
import { deployFile, type ReverseProxyOptions, startReverseProxy } from "./reverse-proxy.ts";

export const hasCaddy = Bun.which("caddy") !== null;

export const startCaddy = (options: ReverseProxyOptions): Promise<AsyncDisposable> =>
  startReverseProxy(options, async (folder, { port, upstreams }) => {
    const site = (await deployFile("Caddyfile"))
      .replace(/^svc\.example\.com {$/m, `http://127.0.0.1:${port} {`)
      .replace("127.0.0.1:8787", upstreams.join(" "));
    const path = join(folder, "Caddyfile");
    await Bun.write(path, `{\n\tadmin off\n}\n${site}`);
    return ["caddy", "run", "--config", path];
  });
