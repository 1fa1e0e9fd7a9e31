// SPDX-License-Identifier: GPL-2.0-or-later
/* The rate controls. */
#include "ccid.h"

static const struct fdccp_ccid *const ccids[] = {
	&fdccp_ccid2, &fdccp_ccid3, &fdccp_ccid_iftp, &fdccp_ccid_iftpv, &fdccp_ccid_fixed,
};

const struct fdccp_ccid *fdccp_ccid_find(uint8_t id)
{
	for (size_t i = 0; i < sizeof(ccids) / sizeof(ccids[0]); i++)
		if (ccids[i]->id == id)
			return ccids[i];
	return NULL;
}
