/** HAProxy with cli/deploy/haproxy.cfg. */
import { join } from "node:path";
import { deployFile, type ReverseProxyOptions, startReverseProxy } from "./reverse-proxy.ts";

export const hasHaproxy = Bun.which("haproxy") !== null;

export const startHaproxy = (options: ReverseProxyOptions): Promise<AsyncDisposable> =>
  startReverseProxy(options, async (folder, { port, upstreams }) => {
    const path = join(folder, "haproxy.cfg");
    const site = (await deployFile("haproxy.cfg"))
      .replace(/^ *bind :80\n/m, "")
      .replace(/^ *http-request redirect .*\n/m, "")
      .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
      .replace(/server svc1 \S+ (.*)/, (_, options) =>
        upstreams.map((upstream, index) => `server svc${index + 1} ${upstream} ${options}`).join("\n    "),
      );
    await Bun.write(path, site);
    return ["haproxy", "-db", "-f", path];
  });
