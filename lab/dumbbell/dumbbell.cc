// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dumbbell RATE DELAY_MS SECONDS: the dumbbell of guest.py in ns-3. Prints the number of
 * bytes that have arrived. TCP is CUBIC with SACK, as in Linux, with segments of 1448 bytes.
 */
#include <iostream>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

static const uint16_t PORT = 5001;

static void Configure()
{
	Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
	Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
	/* the sizes to which Linux's buffers may grow */
	Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6 << 20));
}

/* Connects two nodes by a network. "queue" is the size of the queue above the device. */
static Ipv4InterfaceContainer Link(NodeContainer nodes, std::string rate, std::string delay,
				   std::string network, std::string queue)
{
	PointToPointHelper link;
	link.SetDeviceAttribute("DataRate", StringValue(rate));
	link.SetChannelAttribute("Delay", StringValue(delay));
	link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
	NetDeviceContainer devices = link.Install(nodes);

	TrafficControlHelper control;
	control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(queue));
	control.Install(devices);

	Ipv4AddressHelper addresses;
	addresses.SetBase(network.c_str(), "255.255.255.0");
	return addresses.Assign(devices);
}

int main(int argc, char *argv[])
{
	if (argc != 4) {
		std::cerr << "usage: dumbbell RATE DELAY_MS SECONDS" << std::endl;
		return 2;
	}
	const std::string rate = argv[1], delay = std::string(argv[2]) + "ms";
	const double seconds = std::stod(argv[3]);

	Configure();
	NodeContainer nodes;
	nodes.Create(4);
	InternetStackHelper().Install(nodes);
	Link(NodeContainer(nodes.Get(0), nodes.Get(1)), "100Mbps", "1ms", "10.0.1.0", "1000p");
	Link(NodeContainer(nodes.Get(1), nodes.Get(2)), rate, delay, "10.0.2.0", "50p");
	Ipv4InterfaceContainer last = Link(NodeContainer(nodes.Get(2), nodes.Get(3)), "100Mbps",
					   "1ms", "10.0.3.0", "1000p");
	Ipv4GlobalRoutingHelper::PopulateRoutingTables();

	InetSocketAddress there(last.GetAddress(1), PORT);
	ApplicationContainer sinks =
		PacketSinkHelper("ns3::TcpSocketFactory", there).Install(nodes.Get(3));
	BulkSendHelper("ns3::TcpSocketFactory", there).Install(nodes.Get(0));
	Simulator::Stop(Seconds(seconds));
	Simulator::Run();
	std::cout << DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx() << std::endl;
	Simulator::Destroy();
	return 0;
}
