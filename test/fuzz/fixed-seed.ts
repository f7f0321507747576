import fc from "fast-check";
import { startCampaign } from "./campaign.ts";

/** Runs before each test file: properties without a seed of their own use this one. */
fc.configureGlobal({ seed: startCampaign().seed });
