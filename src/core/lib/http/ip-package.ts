/**
 * The package that reads IP addresses. It is loaded when one is read: every command loads what reads the
 * configuration, and most configurations name no address (`bun run bench help`).
 */
import type ipaddr from "ipaddr.js";
import { lazy } from "../lazy.ts";

export const ipPackage = lazy(() => require("ipaddr.js") as typeof ipaddr);
