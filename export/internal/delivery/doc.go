// Package delivery is what the exporter and its targets have in common: a batch of profiles, the form in which a target wants
// them, and why one did not arrive. It is internal, and so only packages of this module can be targets.
package delivery
