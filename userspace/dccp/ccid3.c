// SPDX-License-Identifier: GPL-2.0-or-later
/* CCID 3 as a rate control. */
#include "ccid3.h"

const struct fdccp_ccid fdccp_ccid3 = {
	.id = FDCCP_CCID3,
	.name = "TFRC",
	.ecn = true,
	.slow = true,
	.tx_size = sizeof(struct fdccp_ccid3_tx),
	.rx_size = sizeof(struct fdccp_ccid3_rx),

	.tx_start = fdccp_ccid3_tx_start,
	.tx_when = fdccp_ccid3_tx_when,
	.tx_sent = fdccp_ccid3_tx_sent,
	.tx_cause = fdccp_ccid3_tx_cause,
	.tx_option = fdccp_ccid3_tx_option,
	.tx_ack = fdccp_ccid3_tx_ack,
	.tx_timer = fdccp_ccid3_tx_timer,
	.tx_expire = fdccp_ccid3_tx_expire,
	.tx_restart = fdccp_ccid3_tx_restart,
	.tx_ccval = fdccp_ccid3_tx_ccval,
	.tx_ack_ratio = fdccp_ccid3_tx_ack_ratio,
	.tx_window = fdccp_ccid3_tx_window,
	.tx_rtt = fdccp_ccid3_tx_rtt,
	.tx_info = fdccp_ccid3_tx_info,

	.rx_start = fdccp_ccid3_rx_start,
	.rx_packet = fdccp_ccid3_rx_packet,
	.rx_when = fdccp_ccid3_rx_when,
	.rx_write = fdccp_ccid3_rx_write,
	.rx_sent = fdccp_ccid3_rx_sent,
	.rx_ack_ratio = fdccp_ccid3_rx_ack_ratio,
};
