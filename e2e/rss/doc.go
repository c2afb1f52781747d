// Command rss shows that the account of RSS adds up in programs that nobody here wrote. It builds them, each in a folder of its own,
// runs them one after the other, and prints a table. Its arguments are names of programs; without any, it runs all.
//
// Each program embeds a library, records every allocation and has it work on several threads. Package audit takes the account at least a
// hundred times in a row meanwhile, and the program prints what it found as JSON. Of each moment, this must hold:
//
//   - The lines add up to the Rss of smaps_rollup, within 1 %. Neither can be read in an instant, so the kernel is asked before the
//     account, again and again during it, and afterwards. The sum must lie between the least and the most of these answers, or
//     less than 1 % of RSS outside. The account looks at one page after the other, so what became resident meanwhile may be in the sum
//     together with the page whose place it took, or may not be in it: under load the bounds are as much wider. The kernel's count of page
//     faults says how much that was. Accounts are taken until the answers differ by less than 1 % among
//     themselves in ten, and the load ended a round in ten.
//   - 95 % of RSS are on lines other than "unexplained" and "mapped, caller unknown", in the mean. In one account, the rest may be as much
//     more as became resident meanwhile.
//
// Where RSS moves by 10 % during an account, these bounds are wide. So each program runs once more: between the rounds of its load it
// stands still for twenty accounts, and RSS hardly moves.
//
// Under load, nothing is stopped for the account. Its threads have a lower priority than the account, so that the account does not wait for them,
// and the table shows how much they worked meanwhile. DuckDB's program also compares its memory with DuckDB's own figure.
//
// Programs that need Debian packages have the build tag rss. The command installs the packages if it may, and names them otherwise.
package main
