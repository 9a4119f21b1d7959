/** The forges: a folder and a line each. */
import type { ForgeName } from "../../core/forges/schema.ts";
import { bitbucket } from "./bitbucket/forge.ts";
import type { Forge } from "./forge.ts";
import { gitea } from "./gitea/forge.ts";
import { github } from "./github/forge.ts";
import { gitlab } from "./gitlab/forge.ts";

export const forgesByName: Record<ForgeName, Forge> = { github, gitlab, gitea, bitbucket };
