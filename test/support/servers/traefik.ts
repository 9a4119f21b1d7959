/** Traefik with cli/deploy/traefik.yml and traefik-svc.yml. */
import { join } from "node:path";
import { deployFile, type ReverseProxyOptions, startReverseProxy } from "./reverse-proxy.ts";

export const hasTraefik = Bun.which("traefik") !== null;

export const startTraefik = (options: ReverseProxyOptions): Promise<AsyncDisposable> =>
  startReverseProxy(options, async (folder, { port, upstreams }) => {
    const route = join(folder, "svc.yml");
    const routes = (await deployFile("traefik-svc.yml"))
      .replace("Host(`svc.example.com`)", "PathPrefix(`/`)")
      .replace(/^ *tls: .*\n/m, "")
      .replace(/- url: .*/, upstreams.map((upstream) => `- url: http://${upstream}`).join("\n          "));
    await Bun.write(route, routes);
    const main = join(folder, "traefik.yml");
    const settings = (await deployFile("traefik.yml"))
      .replace(/^ {2}web:\n(?: {4}.*\n)*/m, "")
      .replace(/^certificatesResolvers:\n(?: .*\n)*/m, "")
      .replace("address: :443", `address: 127.0.0.1:${port}`)
      .replace("/etc/traefik/svc.yml", route);
    await Bun.write(main, settings);
    return ["traefik", `--configFile=${main}`];
  });
