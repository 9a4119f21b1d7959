/** The root folder of this repository. */
import { dirname } from "node:path";

export const repositoryRoot = dirname(dirname(import.meta.dir));
