/** Two tools of a server named `docs` that come to the same name on the menu, found by trying 64,000. */
export const sameName = [58_824, 63_880].map((at) => `read_the_quarterly_report_of_the_department_xxxxxx${at}`);
