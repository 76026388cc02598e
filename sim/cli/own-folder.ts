/** Where verbs write artifacts, pages and smaller scenarios by default; no input is read from it. */
export const OWN_FOLDER = ".faultlane";
