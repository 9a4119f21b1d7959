/** Envoy with cli/deploy/envoy.yaml. */
import { join } from "node:path";
import { deployFile, type ReverseProxyOptions, startReverseProxy } from "./reverse-proxy.ts";

export const hasEnvoy = Bun.which("envoy") !== null;

export const startEnvoy = (options: ReverseProxyOptions): Promise<AsyncDisposable> =>
  startReverseProxy(options, async (folder, { port, upstreams }) => {
    const path = join(folder, "envoy.yaml");
    const site = (await deployFile("envoy.yaml"))
      .replace(/- transport_socket:\n(?: {12}.*\n)* {10}filters:/, "- filters:")
      .replace("address: 0.0.0.0, port_value: 443", `address: 127.0.0.1, port_value: ${port}`)
      .replace(/( *- endpoint: .*)port_value: 8787(.*)/, (_, before, after) =>
        upstreams
          .map((upstream) => `${before}port_value: ${upstream.replace("127.0.0.1:", "")}${after}`)
          .join("\n"),
      );
    await Bun.write(path, site);
    return ["envoy", "--config-path", path, "--concurrency", "1", "--disable-hot-restart"];
  });
