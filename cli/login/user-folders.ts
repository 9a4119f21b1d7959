/** The folders of the user that commands write to. Imports nothing but `node:path`: `svc hook` needs both. */
import { join } from "node:path";

type Env = Record<string, string | undefined>;

/**
 * Node's `homedir`, whose module is loaded only where HOME does not tell. It throws for a user ID without an
 * account, as in a container.
 */
function homeFolder(env: Env): string {
  try {
    return env.HOME || process.getBuiltinModule("node:os").homedir();
  } catch {
    return "/";
  }
}

/** The folder for settings: under XDG_CONFIG_HOME where it is set, else where the platform keeps settings. */
export const configFolder = (env: Env = process.env, platform: NodeJS.Platform = process.platform): string =>
  join(env.XDG_CONFIG_HOME || platformFolder(env, platform) || join(homeFolder(env), ".config"), "svc");

/** The folder for state that is kept between runs: under XDG_STATE_HOME where it is set. */
export function stateFolder(): string {
  const { env, platform } = process;
  const folder = env.XDG_STATE_HOME || platformFolder(env, platform);
  return join(folder || join(homeFolder(env), ".local", "state"), "svc");
}

function platformFolder(env: Env, platform: NodeJS.Platform): string | undefined {
  if (platform === "win32") return env.APPDATA || join(homeFolder(env), "AppData", "Roaming");
  return platform === "darwin" ? join(homeFolder(env), "Library", "Application Support") : undefined;
}
