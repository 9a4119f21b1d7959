/** The slots of the documentation that only the program can fill. */

import type { DocSlots } from "../src/overview/context.ts";
import apache from "./deploy/apache.conf" with { type: "text" };
import caddyfile from "./deploy/Caddyfile" with { type: "text" };
import envoy from "./deploy/envoy.yaml" with { type: "text" };
import haproxy from "./deploy/haproxy.cfg" with { type: "text" };
import nginx from "./deploy/nginx.conf" with { type: "text" };
import unit from "./deploy/svc.service" with { type: "text" };
import traefik from "./deploy/traefik.yml" with { type: "text" };
import traefikRoute from "./deploy/traefik-svc.yml" with { type: "text" };
import { commandReference } from "./reference.ts";

/** The reference of the command line, and the files of `cli/deploy`, by the names of their slots. */
export async function docSlots(): Promise<DocSlots> {
  const files = {
    apache_conf: apache,
    caddyfile,
    envoy_yaml: envoy,
    haproxy_cfg: haproxy,
    nginx_conf: nginx,
    svc_service: unit,
    traefik_svc_yml: traefikRoute,
    traefik_yml: traefik,
  };
  const texts = Object.entries(files).map(([slot, text]) => [slot, () => text.trimEnd()]);
  return { command_line: commandReference, ...Object.fromEntries(texts) };
}
