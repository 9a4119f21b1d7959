/** Which forges take comments: those with a token, on the host that their API is configured for. */
import type { Config } from "../../core/config.ts";
import type { RepositoryPlace } from "../../core/forges/schema.ts";
import { isConfiguredHost } from "../../feed/forges/task-url.ts";

/** Whether rejections of the project's assets are posted to its forge. */
export const takesComments = (
  config: Pick<Config, "forgeApis">,
  place: Pick<RepositoryPlace, "forge" | "host">,
): boolean => config.forgeApis[place.forge].token !== "" && isConfiguredHost(config, place);
